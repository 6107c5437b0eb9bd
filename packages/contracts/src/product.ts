/** The product's one name: a fork renames itself here. */
export const PRODUCT_NAME = 'Iodine'
