/** The part of an untyped package that the service uses, and its tests. */
declare module 'jskos-tools' {
  /** The parts of a mapping that identify it, its concepts and its type: an object to write as JSON. */
  export function mappingContent(mapping: object): object
  /** The URIs of the concepts of a mapping, sorted. */
  export function mappingMembers(mapping: object): string[]
  export function mappingContentIdentifier(mapping: object): string
  export function mappingMembersIdentifier(mapping: object): string
  export function compareMappingContent(a: object, b: object): boolean
  /** The mapping properties of SKOS with the signs for them, such as `=`. */
  export const mappingTypes: { uri: string; notation: string[] }[]
}
