/** A user and the password, as HTTP has them. */
export interface Login {
  user: string
  password: string
}

/** The header `Authorization` of a login (RFC 7617). */
export function basicAuthorization({ user, password }: Login): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}

/** True if a URL is in the protection space of another one: at its level or deeper (RFC 7617, section 2.2). */
export function isInSpaceOf(url: string, other: string): boolean {
  if (!URL.canParse(url) || !URL.canParse(other)) return false
  const level = new URL('.', url)
  return new URL(other).origin === level.origin && new URL(other).pathname.startsWith(level.pathname)
}
