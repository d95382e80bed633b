import type { Schemas } from '../api/client'
import { plural } from '../ui/format'
import { Part, useRead } from '../ui/read'
import { Table } from '../ui/table'

const order = ['fail', 'warn', 'ok']
const words: Record<string, string> = { fail: 'failed', warn: 'warning', ok: 'well' }
const looks: Record<string, string> = { fail: 'failed', warn: 'awaiting_approval', ok: 'completed' }

/** ChecksTab shows what kg doctor says of the server, what is wrong first. */
export function ChecksTab() {
  const found = useRead<Schemas['Findings']>('/admin/doctor')
  return (
    <Part title="Checks" query={found} aside={<button onClick={() => void found.refetch()} disabled={found.isFetching}>{found.isFetching ? 'Checking…' : 'Check again'}</button>}>
      {(data) => {
        const rows = [...(data.findings ?? [])].sort((a, b) => order.indexOf(a.level) - order.indexOf(b.level))
        const wrong = rows.filter((f) => f.level !== 'ok').length
        return (
          <>
            <p>{wrong === 0 ? 'All is well.' : `${plural(wrong, 'check')} of ${rows.length} found something.`}</p>
            <Table label="Checks" rows={rows} keyOf={(f) => f.check + f.found} empty="Nothing was checked."
              columns={[
                { head: 'Is', cell: (f) => <span className={'status ' + looks[f.level]}>{words[f.level]}</span> },
                { head: 'Check', cell: (f) => f.check },
                { head: 'Found', cell: (f) => <>{f.found}{f.remedy && <small className="muted">→ {f.remedy}</small>}</>, kind: 'name' },
              ]} />
          </>
        )
      }}
    </Part>
  )
}
