import type { Schemas } from '../api/client'
import type { Mark } from '../ui/marks'

/** Text is a document as it is read: its own bytes, or, of a format that is no text, its chunks, in which nothing has a place of the original. */
export interface Text {
  text: string
  from: 'document' | 'chunks' | 'nothing'
}

/** target is the id of the mark of the passage that a link leads to. */
export const target = '#passage'

export function textOf(content: Schemas['DocumentContent']): Text {
  const own = content.content
  if (own.encoding === 'utf-8' && own.document != null) return { text: own.document, from: 'document' }
  const chunks = [...(content.chunks ?? [])].sort((a, b) => a.char_offset_start - b.char_offset_start)
  if (chunks.length === 0) return { text: '', from: 'nothing' }
  let text = ''
  let end = 0
  for (const c of chunks) {
    // Chunks overlap, by what the end of one and the beginning of the next share.
    const characters = [...c.full_text]
    text += characters.slice(Math.max(0, end - c.char_offset_start)).join('')
    end = Math.max(end, c.char_offset_end)
  }
  return { text, from: 'chunks' }
}

/** marksOf are the quotes of concepts in a document, and the passage that a link leads to. */
export function marksOf(text: Text, document: string, concepts: Schemas['ConceptDetails'][], start?: number, end?: number): Mark[] {
  const marks: Mark[] = []
  if (text.from === 'document' && start !== undefined && end !== undefined) marks.push({ start, end, id: target })
  const bytes = new TextEncoder()
  for (const c of concepts)
    for (const i of c.instances ?? []) {
      if (i.document_id !== document) continue
      if (text.from === 'document') {
        marks.push({ start: i.start_byte, end: i.end_byte, id: c.concept_id })
        continue
      }
      const at = text.text.indexOf(i.quote)
      if (at < 0) continue
      const from = bytes.encode(text.text.slice(0, at)).length
      marks.push({ start: from, end: from + bytes.encode(i.quote).length, id: c.concept_id })
    }
  return marks
}
