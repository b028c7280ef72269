/** The version of the API that this client speaks: the first part of each path. */
export const apiVersion = 'v1'
