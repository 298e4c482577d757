/**
 * The elements of an XML document with a name, in time that grows with its length alone: one expression for a tag, its
 * content and its end would read a document again for each tag that is never closed.
 */

/** An element as it is written. */
interface XmlElement {
  /** From `<` to `>`. */
  text: string
  /** With the white space around them. */
  attributes: string
  /** What stands between its tags; empty if it is one tag alone. */
  inside: string
  /** The place in the document. */
  start: number
}

/**
 * The elements with a name, in their order. One ends at the next closing tag with the name, so none is within another.
 * What follows an element that is not closed is not read.
 *
 * @param name a regular expression without groups, such as `text:p`.
 */
export function* elements(document: string, name: string): Generator<XmlElement> {
  const opening = new RegExp(String.raw`<${name}(?![\w.:-])`, 'g')
  const closing = new RegExp(String.raw`</${name}\s*>`, 'g')
  for (let tag; (tag = opening.exec(document));) {
    const endOfTag = closesTag(document, opening.lastIndex)
    if (endOfTag < 0) return
    const isEmpty = document[endOfTag - 1] === '/'
    closing.lastIndex = endOfTag
    const end = isEmpty ? null : closing.exec(document)
    if (!isEmpty && !end) return
    const after = end ? closing.lastIndex : endOfTag + 1
    yield {
      text: document.slice(tag.index, after),
      attributes: document.slice(opening.lastIndex, isEmpty ? endOfTag - 1 : endOfTag),
      inside: end ? document.slice(endOfTag + 1, end.index) : '',
      start: tag.index,
    }
    opening.lastIndex = after
  }
}

/** A document with other text in the place of each of its `elements`. */
export function replaceElements(document: string, name: string, replace: (element: XmlElement) => string): string {
  let replaced = ''
  let at = 0
  for (const element of elements(document, name)) {
    replaced += document.slice(at, element.start) + replace(element)
    at = element.start + element.text.length
  }
  return replaced + document.slice(at)
}

/** The place of the `>` that ends a tag, which may have others in quotation marks; -1 if there is none. */
function closesTag(document: string, from: number): number {
  for (let at = from; at < document.length; at++) {
    const character = document[at]!
    if (character === '>') return at
    if (character !== '"' && character !== "'") continue
    at = document.indexOf(character, at + 1)
    if (at < 0) return -1
  }
  return -1
}
