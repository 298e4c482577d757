/** Activities on a page. Pages that are whole never change, so this number never changes either. */
const PAGE = 250

/** The address of a change: a place on a page of activities. */
export function activityAddress(vocabulary: string, position: number): string {
  return `${pageAddress(vocabulary, Math.floor(position / PAGE) + 1)}#${position}`
}

/** @param vocabulary the address of the vocabulary. @param page its number, from 1. */
function pageAddress(vocabulary: string, page: number): string {
  return `${vocabulary}/activity/page/${page}`
}
