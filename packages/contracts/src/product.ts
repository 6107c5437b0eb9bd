/** The product's name, defined only here: forks rename it here. */
export const PRODUCT_NAME = 'Iodine'
