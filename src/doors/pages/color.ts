/**
 * `--raised` of the light and the dark look in styles/base.css: the backgrounds on which text has the least contrast.
 */
const LIGHT_RAISED = '#f5f2ec'
const DARK_RAISED = '#202225'
/** A little more than small text needs (WCAG 2.2, 1.4.3). */
const CONTRAST = 5.5

/**
 * The operator's colour for styles/base.css: darkened for light backgrounds and lightened for dark ones until text is
 * readable.
 */
export function accentStyle(color: string): string {
  const onLight = towards(color, '#000000', LIGHT_RAISED)
  const onDark = towards(color, '#ffffff', DARK_RAISED)
  return `:root{--accent-light:${onLight};--accent-dark:${onDark}}`
}

/** Mixes a colour with black or white until it is readable on a background. */
function towards(color: string, end: string, background: string): string {
  const from = channels(color)
  const to = channels(end)
  for (let part = 0; part <= 100; part += 2) {
    const mixed = from.map((value, index) => Math.round(value + ((to[index]! - value) * part) / 100))
    const hex = `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`
    if (contrast(hex, background) >= CONTRAST) return hex
  }
  return end
}

/** The contrast of two colours, from 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrast(first: string, second: string): number {
  const [light, dark] = [luminance(first), luminance(second)].sort((a, b) => b - a) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

/** WCAG 2.2, "relative luminance" */
function luminance(color: string): number {
  const [red, green, blue] = channels(color).map((value) => {
    const part = value / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function channels(color: string): number[] {
  return [1, 3, 5].map((offset) => Number.parseInt(color.slice(offset, offset + 2), 16))
}
