import type { PickedConcept } from './types.d.ts'

/** The concepts that a reader has chosen, or that the page or the browser has set. */
export class ChosenConcepts {
  readonly #isMultiple: () => boolean
  /** A picker for one concept shows and sends only the first. */
  #all: PickedConcept[] = []

  constructor(isMultiple: () => boolean) {
    this.#isMultiple = isMultiple
  }

  get concepts(): PickedConcept[] {
    return this.#isMultiple() ? this.#all : this.#all.slice(0, 1)
  }
  set concepts(concepts: readonly PickedConcept[]) {
    this.#all = concepts.map(picked)
  }

  /** The URIs, separated by `|`. Concepts that were chosen before keep their labels. */
  get value(): string {
    return this.concepts.map(({ uri }) => uri).join('|')
  }
  set value(value: string) {
    const uris = new Set(value.split('|').map((uri) => uri.trim()))
    this.#all = [...uris].filter(Boolean).map((uri) => this.concepts.find((concept) => concept.uri === uri) ?? { uri })
  }

  /** Gives concepts without labels those of an answer. */
  label(answer: readonly PickedConcept[]): void {
    const conceptByUri = new Map(answer.map((concept) => [concept.uri, picked(concept)]))
    this.#all = this.#all.map((concept) => (concept.prefLabel ? concept : (conceptByUri.get(concept.uri) ?? concept)))
  }
}

/** The fields of a concept that a form needs. */
function picked({ uri, prefLabel, notation, inScheme }: PickedConcept): PickedConcept {
  return { uri, ...(prefLabel && { prefLabel }), ...(notation && { notation }), ...(inScheme && { inScheme }) }
}
