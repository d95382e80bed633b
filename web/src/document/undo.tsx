import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { request, type Schemas } from '../api/client'
import { useMay } from '../signin/session'
import { Dialog } from '../ui/dialog'
import { plural } from '../ui/format'
import { toast } from '../ui/toast'

type Removed = Schemas['Removed']

/** Undo takes a document out of the graph, after it has shown what goes, and then goes home unless it is to stay: any document with the right to delete them, and else the one of a job that may be changed. */
export function Undo({ document, ontology, job, stay = false, name = 'Take it out…' }: { document: string; ontology: string; job: string; stay?: boolean; name?: string }) {
  const may = useMay()
  const client = useQueryClient()
  const [, go] = useLocation()
  const [preview, setPreview] = useState<Removed | null>(null)
  const [busy, setBusy] = useState(false)
  const deletes = may('sources', 'delete')
  if (!deletes && !may('jobs', 'write')) return null

  const send = (dry: boolean) =>
    deletes
      ? request<Removed>('DELETE', `/documents/${encodeURIComponent(document)}?ontology=${encodeURIComponent(ontology)}${dry ? '&dry_run=true' : ''}`)
      : request<Removed>('POST', `/jobs/${job}/undo${dry ? '?dry_run=true' : ''}`)
  const act = async (dry: boolean) => {
    setBusy(true)
    try {
      const { body } = await send(dry)
      if (dry) setPreview(body)
      else {
        toast(`${body.filename} is out of ${body.ontology}`)
        await client.invalidateQueries({ predicate: (q) => q.queryKey[0] !== 'session' && q.queryKey[0] !== 'document' })
        setPreview(null)
        if (!stay) go('/')
      }
    } catch (err) {
      toast((err as Error).message, true)
      setPreview(null)
    }
    setBusy(false)
  }
  return (
    <>
      <button disabled={busy} onClick={() => void act(true)}>
        {name}
      </button>
      {preview && (
        <Dialog title={`Take ${preview.filename} out of ${preview.ontology}?`} confirm={busy ? 'Working…' : 'Take it out'} danger disabled={busy} onConfirm={() => void act(false)} onClose={() => setPreview(null)}>
          <ul>
            <li>{plural(preview.sources_deleted, 'chunk')} and {plural(preview.instances_deleted, 'quote')} go</li>
            <li>{plural(preview.orphaned_concepts_deleted, 'concept')} and {plural(preview.relationships_deleted, 'relationship')} go, which no other document supports</li>
            <li>{plural(preview.concepts_kept, 'concept')} that other documents show {preview.concepts_kept === 1 ? 'stays' : 'stay'}</li>
            {preview.ontology_deleted && <li>the ontology {preview.ontology} goes with its last document</li>}
          </ul>
          <p className="muted">Its job and the history of that stay. Submit the document again to have it back.</p>
        </Dialog>
      )}
    </>
  )
}
