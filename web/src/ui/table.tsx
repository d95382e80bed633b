import type { ReactNode } from 'react'
import { Empty } from './page'

/** A column of a table. num keeps figures on one line, name has room for long text. */
export interface Column<T> {
  head: string
  cell: (row: T) => ReactNode
  kind?: 'num' | 'name'
}

/** Table shows rows, and what to do when there are none. What is wider than the page is scrolled within it. */
export function Table<T>({ label, rows, columns, keyOf, empty, more }: { label: string; rows: T[]; columns: (Column<T> | false | null | undefined)[]; keyOf: (row: T) => string | number; empty: string; more?: ReactNode }) {
  if (rows.length === 0) return <Empty title={empty}>{more}</Empty>
  const shown = columns.filter((c): c is Column<T> => !!c)
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            {shown.map((c) => (
              <th key={c.head}>{c.head}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {shown.map((c) => (
                <td key={c.head} className={c.kind}>
                  {c.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
