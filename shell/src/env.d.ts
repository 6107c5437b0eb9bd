/// <reference types="@iodine/ui/css" />
