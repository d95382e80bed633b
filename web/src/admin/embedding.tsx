import { del, post, type Schemas } from '../api/client'
import { useMay } from '../signin/session'
import type { Act } from '../ui/act'
import { filled } from '../ui/field'
import { Part, useRead } from '../ui/read'
import { Table } from '../ui/table'

type Profile = Schemas['EmbeddingProfile']

const path = (p: Profile) => '/admin/embedding/config/' + p.id

/** Profiles are the models that embed or may: each is stored, tried when it is activated, and protected against being deleted or replaced. */
export function Profiles({ ask }: { ask: (act: Act) => void }) {
  const may = useMay()
  const writes = may('embedding_config', 'write')
  const profiles = useRead<Profile[]>('/admin/embedding/configs')
  return (
    <Part title="Models that embed, or may" query={profiles} aside={writes && <button onClick={() => ask(store)}>Store a model…</button>}>
      {(data) => (
        <Table label="Models that embed, or may" rows={data} keyOf={(p) => p.id} empty="No model is stored."
          columns={[
            { head: 'Name', cell: (p) => p.name || 'of the server', kind: 'name' },
            { head: 'Provider', cell: (p) => p.provider },
            { head: 'Model', cell: (p) => p.model_name, kind: 'name' },
            { head: 'Numbers', cell: (p) => p.embedding_dimensions ?? '', kind: 'num' },
            { head: 'Is', cell: (p) => [p.active && 'in use', p.delete_protected && 'kept', p.change_protected && 'not replaced'].filter(Boolean).join(', ') },
            writes && { head: 'Use', cell: (p) => p.id > 0 && !p.active && <button onClick={() => ask(activate(p))} aria-label={`Use ${p.name}`}>Use…</button> },
            writes && { head: 'Protect', cell: (p) => p.id > 0 && <button onClick={() => ask(protect(p))} aria-label={`Protect ${p.name}`}>Protect…</button> },
            writes && { head: 'Delete', cell: (p) => p.id > 0 && !p.active && !p.delete_protected && <button onClick={() => ask(remove(p))} aria-label={`Delete ${p.name}`}>Delete…</button> },
          ]} />
      )}
    </Part>
  )
}

const store: Act = {
  title: 'Store a model that may embed', confirm: 'Store', text: 'It is not used before it is activated, which tries it.',
  fields: [
    { name: 'name', label: 'Name', required: true },
    { name: 'provider', label: 'Provider', required: true, kind: 'select', value: 'openai', options: ['openai', 'ollama', 'local', 'remote'].map((p): [string, string] => [p, p]) },
    { name: 'model_name', label: 'Model', required: true },
    { name: 'embedding_dimensions', label: 'Numbers of an embedding', kind: 'number', min: 1, help: 'that its embeddings must have when it is activated; empty: what it gives' },
  ],
  run: async (v) => (await post('/admin/embedding/config', filled(v, ['embedding_dimensions'])), 'The model is stored.'),
}

const activate = (p: Profile): Act => ({
  title: `Use ${p.name}?`, confirm: 'Try it, and use it', text: 'It is tried with a real call. What is embedded by another model is embedded anew by a job; answers go on meanwhile.',
  run: async () => (await post<Schemas['ModelActiveAnswer']>(path(p) + '/activate')).message,
})

const protect = (p: Profile): Act => ({
  title: `Protect ${p.name}`, confirm: 'Set',
  fields: [
    { name: 'delete_protected', label: 'not deleted', kind: 'check', value: p.delete_protected },
    { name: 'change_protected', label: 'not replaced by another', kind: 'check', value: p.change_protected },
  ],
  run: async (v) => (await post(`${path(p)}/protect?delete_protected=${v.delete_protected === true}&change_protected=${v.change_protected === true}`), 'It is set.'),
})

const remove = (p: Profile): Act => ({ title: `Delete ${p.name}?`, confirm: 'Delete', danger: true, run: async () => (await del(path(p)), 'It is deleted.') })
