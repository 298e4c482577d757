/** The part of an untyped package that the tests use; of its two builds the one that jest can load. */
declare module 'cocoda-sdk/dist/esm/index.js' {
  interface Item {
    uri: string
    identifier?: string[]
    inScheme?: { uri: string }[]
    /** The id of a vocabulary in Skosmos. */
    VOCID?: string
    broader?: (Item | null)[]
    namespace?: string
    notation?: string[]
    prefLabel?: Record<string, string>
    type?: string[]
    narrower?: (Item | null)[]
    ancestors?: (Item | null)[]
  }
  /** A list as it was answered, with the facts from its headers. */
  type List<T = Item> = T[] & { _totalCount?: number; _url?: string }
  type Suggestions = [query: string, labels: string[], descriptions: string[], uris: string[]]
  interface Mapping {
    from: { memberSet: Item[] }
    to: { memberSet: Item[] }
    type: string[]
  }
  interface Registry {
    has: Record<string, boolean>
    init(): Promise<void>
    getSchemes(config?: object): Promise<List>
    getTop(config: { scheme: Item }): Promise<List>
    getConcepts(config: { concepts: Item[] }): Promise<List>
    getNarrower(config: { concept: Item }): Promise<List>
    getAncestors(config: { concept: Item }): Promise<List>
    suggest(config: {
      search: string
      scheme?: { uri: string }
      limit?: number
      types?: string[]
    }): Promise<Suggestions>
    search(config: {
      search: string
      scheme?: { uri: string }
      limit?: number
      offset?: number
      types?: string[]
    }): Promise<List>
    getMappings(config: { from?: Item; to?: Item; mode: 'or' | 'and' }): Promise<Mapping[]>
    getTypes(config?: { scheme?: { uri: string } }): Promise<List>
  }
  interface StoredMapping extends Mapping {
    uri: string
  }
  /** The provider `MappingsApi`. */
  interface MappingRegistry {
    has: Record<string, object | false>
    init(): Promise<void>
    getMappings(config: {
      from?: { uri: string }
      to?: { uri: string }
      direction?: 'forward' | 'backward' | 'both'
      partOf?: { uri: string }
      identifier?: string
    }): Promise<List<StoredMapping>>
    getMapping(config: { mapping: { uri: string } }): Promise<StoredMapping | null>
    getConcordances(config: object): Promise<List>
  }
  export const cdk: {
    initializeRegistry(config: {
      uri: string
      provider: string
      api?: string
      status?: string
      schemes?: Item[]
    }): Registry
    registryForScheme(scheme: object): Registry | null
  }
  export function addAllProviders(): void
}
