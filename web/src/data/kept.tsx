import { del, post, request, type Schemas } from '../api/client'
import { useMay } from '../signin/session'
import { useAct } from '../ui/act'
import { textOf } from '../ui/field'
import { ago } from '../ui/format'
import { Part, useRead } from '../ui/read'
import { Table } from '../ui/table'
import type { Question } from './question'

/** Kept are the questions that were kept, which kg queries run asks too. */
export function Kept({ question, load, local }: { question: Question; load: (q: Question) => void; local: boolean }) {
  const may = useMay()
  const [ask, dialog] = useAct()
  const list = useRead<Schemas['QueryList']>('/query-definitions?definition_type=dataset&limit=100')
  const known = list.data?.definitions ?? []
  const definition = { sql: question.sql, datasets: question.datasets, limit: question.limit }
  const keep = () =>
    ask({
      title: 'Keep this question', confirm: 'Keep it', text: local ? 'Files of this machine are not kept with it; choose them again when you ask it.' : undefined, fields: [{ name: 'name', label: 'Name', required: true, options: known.map((q) => q.name) }],
      run: async (v) => {
        const name = textOf(v.name).trim()
        const same = known.find((q) => q.name === name)
        if (same) await request('PUT', '/query-definitions/' + same.id, { definition })
        else await post('/query-definitions', { name, definition_type: 'dataset', definition })
        return same ? 'It is kept in place of the one before.' : 'It is kept.'
      },
    })
  const remove = (q: Schemas['SavedQuery']) => ask({ title: `Delete ${q.name}?`, confirm: 'Delete', danger: true, run: async () => (await del('/query-definitions/' + q.id), 'It is deleted.') })
  const open = (q: Schemas['SavedQuery']) => {
    const d = q.definition as Partial<Question> | null
    load({ sql: d?.sql ?? '', datasets: d?.datasets ?? [], limit: d?.limit ?? 1000 })
  }
  return (
    <Part title="Kept questions" query={list} aside={may('queries', 'write') && <button onClick={keep} disabled={!question.sql.trim()}>Keep this question…</button>}>
      {() => (
        <>
          <Table label="Kept questions" rows={known} keyOf={(q) => q.id} empty="No question is kept."
            columns={[
              { head: 'Name', cell: (q) => <button className="link" onClick={() => open(q)}>{q.name}</button>, kind: 'name' },
              { head: 'Changed', cell: (q) => ago(q.updated_at), kind: 'num' },
              may('queries', 'delete') && { head: 'Delete', cell: (q) => <button onClick={() => remove(q)} aria-label={`Delete ${q.name}`}>Delete…</button> },
            ]} />
          {dialog}
        </>
      )}
    </Part>
  )
}
