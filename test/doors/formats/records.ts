import { loadFormats, removeFormat } from '../../../src/doors/formats/load.ts'
import type { FormatRecord } from '../../../src/doors/formats/record.ts'
import type { RunningApp } from '../../app.ts'

/** Loads records as the process of the service does, so that they count at once. */
export async function loadRecords(app: RunningApp, records: readonly FormatRecord[]): ReturnType<typeof loadFormats> {
  const report = await loadFormats(app.client, records)
  app.state.changed()
  return report
}

/** Removes a record, likewise. */
export async function removeRecord(app: RunningApp, id: string): ReturnType<typeof removeFormat> {
  const removed = await removeFormat(app.client, id)
  app.state.changed()
  return removed
}

/** One of many records of data formats: all their ids differ, all else is the same for some of them. */
export const formatRecord = (index: number): FormatRecord => ({
  id: `family-${index % 100}/format-${index}`,
  type: 'http://purl.org/dc/terms/FileFormat',
  title: `Format ${index}`,
  description: { en: `The format with the number ${index}`, de: `Das Format mit der Nummer ${index}` },
  homepage: `http://example.org/formats/${index}`,
  application: index % 2 ? 'application/structure' : ['application/structure', 'application/schema'],
  model: index % 10 === 0 ? ['model', 'other'] : 'model',
  base: `base-${index % 1000}`,
  schemas: [{ url: `http://example.org/schemas/${index}`, type: 'xsd', version: '1' }],
  creator: ['First', 'Second'],
  modified: 1900 + (index % 100),
})
