import { joinedSql, plain, sql, type Sql } from '../../graph/index/sql.ts'

/** The condition that `l` is in a language, whatever else its tag says (RFC 4647, section 3.3.1). */
export function ofLanguage(language: string): Sql {
  const tag = language.toLowerCase()
  const [first, last] = [`${tag}-`, `${tag}.`]
  return sql`(lower(l.language) = ${tag} OR lower(l.language) >= ${first} AND lower(l.language) < ${last})`
}

/** The condition that `l` is in one of some languages. */
export function ofLanguages(languages: readonly string[]): Sql {
  return languages.length > 0 ? sql`(${joinedSql(languages.map(ofLanguage), ' OR ')})` : plain('false')
}
