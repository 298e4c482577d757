import Markdown, { type MarkdownIt, type Token } from 'markdown-it'

/**
 * A reader of Markdown for pages: CommonMark with tables (GitHub Flavored Markdown, section 4.10). HTML in it is text,
 * and so are images.
 */
export function markdownReader(): MarkdownIt {
  const markdown = new Markdown()
  markdown.renderer.rules['image'] = (tokenList, index) => markdown.utils.escapeHtml(tokenList[index]!.content)
  // A wide table scrolls within the page, by keyboard as well.
  markdown.renderer.rules['table_open'] = () => '<div class="scrolled" tabindex="0"><table>\n'
  markdown.renderer.rules['table_close'] = () => '</table></div>\n'
  markdown.core.ruler.push('cells', ({ tokens }) => {
    tokens.forEach((token, index) => {
      if (/^t[hd]_open$/.test(token.type)) prepareCell(token, tokens[index + 1]!, tokens[index + 2]!)
    })
  })
  return markdown
}

/** The policy for pages allows no styles in elements. An empty heading of a column is no heading. */
function prepareCell(open: Token, content: Token, close: Token): void {
  const isRight = String(open.attrGet('style')).includes('right')
  if (open.type === 'th_open' && content.content === '') open.tag = close.tag = 'td'
  open.attrs = [...(isRight ? [['class', 'number']] : []), ...(open.tag === 'th' ? [['scope', 'col']] : [])] as [
    string,
    string,
  ][]
}
