/** A document loader that refuses: nothing is ever fetched from elsewhere. */
export const refuseRemoteDocuments = (url: string): Promise<never> =>
  Promise.reject(new Error(`remote JSON-LD document refused: ${url}`))
