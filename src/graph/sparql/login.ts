/** A user and the password, as HTTP has them. */
export interface Login {
  user: string
  password: string
}

/** The header `Authorization` of a login (RFC 7617). */
export function basicAuthorization({ user, password }: Login): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}
