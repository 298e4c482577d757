/** Longer texts are not compared. */
const MOST_CHARACTERS = 400
/** Rows of the table of distances: the current one and the two before. */
const ROWS = Array.from({ length: 3 }, () => new Uint16Array(MOST_CHARACTERS + 2))

/**
 * How many letters to insert, delete, replace or swap with their neighbour to turn one text into the other (optimal
 * string alignment distance).
 *
 * @param isBeginning true if the second text may go on.
 * @returns undefined if there are more than `most`.
 */
export function editDistance(a: string, b: string, most: number, isBeginning = false): number | undefined {
  const width = Math.min(b.length, a.length + most)
  if (most < 0 || a.length - width > most || (!isBeginning && b.length > width)) return undefined
  if (width > MOST_CHARACTERS) return undefined
  let [row, last, beforeLast] = ROWS as [Uint16Array, Uint16Array, Uint16Array]
  const none = most + 1
  for (let j = 0; j <= width; j++) row[j] = j
  // Cells further than `most` from the diagonal would need more changes.
  for (let i = 1; i <= a.length; i++) {
    ;[row, last, beforeLast] = [beforeLast, row, last]
    const [from, to] = [Math.max(1, i - most), Math.min(width, i + most)]
    row[from - 1] = from === 1 ? i : none
    let least = row[from - 1]!
    const letter = a.charCodeAt(i - 1)
    for (let j = from; j <= to; j++) {
      const other = b.charCodeAt(j - 1)
      let edits = last[j - 1]! + (letter === other ? 0 : 1)
      if (j < i + most && last[j]! + 1 < edits) edits = last[j]! + 1
      if (row[j - 1]! + 1 < edits) edits = row[j - 1]! + 1
      if (i > 1 && j > 1 && letter === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === other) {
        if (beforeLast[j - 2]! + 1 < edits) edits = beforeLast[j - 2]! + 1
      }
      row[j] = edits
      if (edits < least) least = edits
    }
    if (least > most) return undefined
  }
  let distance = row[width]!
  if (isBeginning) for (let j = Math.max(0, a.length - most); j <= width; j++) distance = Math.min(distance, row[j]!)
  return distance > most ? undefined : distance
}
