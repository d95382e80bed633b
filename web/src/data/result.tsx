import { save } from '../api/download'
import type { Schemas } from '../api/client'
import { Empty } from '../ui/page'
import { csv } from './question'

const drawn = 500 // rows; all that came are saved

/** Result shows the rows of an answer with the types of its columns, and saves them. */
export function Result({ rows }: { rows: Schemas['DatasetRows'] }) {
  const columns = rows.columns ?? []
  const list = (rows.rows ?? []) as Record<string, unknown>[]
  const names = columns.map((c) => c.name)
  const text = (v: unknown) => (v === null || v === undefined ? <span className="muted">null</span> : typeof v === 'object' ? JSON.stringify(v) : String(v))
  if (columns.length === 0 || list.length === 0) return <Empty title="The answer has no rows." />
  return (
    <>
      <div className="scroll matrix" tabIndex={0} role="region" aria-label="Answer">
        <table>
          <thead>
            <tr>
              {columns.map((c) => (
                <th key={c.name}>
                  {c.name}
                  <small className="muted">{c.type}</small>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {list.slice(0, drawn).map((row, i) => (
              <tr key={i}>
                {columns.map((c) => (
                  <td key={c.name} className={/INT|DECIMAL|DOUBLE|FLOAT/.test(c.type) ? 'num' : 'name'}>
                    {text(row[c.name])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="actions">
        {list.length > drawn && <span className="muted">The first {drawn} of {list.length} are shown.</span>}
        <button onClick={() => save(new Blob([csv(names, list)], { type: 'text/csv' }), 'answer.csv')}>Save as CSV</button>
        <button onClick={() => save(new Blob([JSON.stringify(list, null, 1)], { type: 'application/json' }), 'answer.json')}>Save as JSON</button>
      </p>
    </>
  )
}
