/** Tables as files for a spreadsheet. */

/** A spreadsheet would run a text that begins like a formula. */
const FORMULA = /^[=+\-@\t\r]/

function cell(value: string | number): string {
  const text = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export function csv(lines: (string | number)[][]): string {
  return lines.map((line) => `${line.map(cell).join(',')}\r\n`).join('')
}

export function download(content: Blob, name: string) {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
