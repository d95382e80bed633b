import type { Schemas } from '../api/client'
import { KeyTable } from '../account/keys'
import { useAct } from '../ui/act'
import { Part, useRead } from '../ui/read'

/** KeysTab lists the API keys of everybody. */
export function KeysTab() {
  const [ask, dialog] = useAct()
  const keys = useRead<Schemas['KeyList']>('/auth/keys?all=true')
  return (
    <>
      <Part title="API keys of all accounts" query={keys}>
        {(data) => <KeyTable keys={data.keys ?? []} ask={ask} />}
      </Part>
      {dialog}
    </>
  )
}
