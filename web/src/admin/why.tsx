import { useState, type FormEvent } from 'react'
import { post, type Schemas } from '../api/client'
import { useRead } from '../ui/read'

/** Why answers whether an account may do something, and by which right. */
export function Why({ user }: { user: number }) {
  const resources = useRead<Schemas['ResourceType'][]>('/rbac/resources')
  const [resource, setResource] = useState('jobs')
  const [answer, setAnswer] = useState<Schemas['PermissionAnswer'] | Error | null>(null)
  const actions = resources.data?.find((r) => r.resource_type === resource)?.available_actions ?? []
  const submit = async (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault()
    const form = new FormData(e.currentTarget)
    const id = String(form.get('id') ?? '').trim()
    try {
      setAnswer(await post<Schemas['PermissionAnswer']>('/rbac/check-permission', { user_id: user, resource_type: resource, action: form.get('action'), ...(id && { resource_id: id }) }))
    } catch (err) {
      setAnswer(err as Error)
    }
  }
  return (
    <form className="filters" onSubmit={(e) => void submit(e)}>
      <label>
        Of
        <select value={resource} onChange={(e) => (setResource(e.target.value), setAnswer(null))}>
          {(resources.data ?? []).map((r) => (
            <option key={r.resource_type}>{r.resource_type}</option>
          ))}
        </select>
      </label>
      <label>
        Act
        <select name="action" onChange={() => setAnswer(null)}>
          {actions.map((a) => (
            <option key={a}>{a}</option>
          ))}
        </select>
      </label>
      <label>
        The one with this id, or any
        <input name="id" autoComplete="off" />
      </label>
      <button>Ask</button>
      <p role="status">
        {answer instanceof Error ? <span className="error">{answer.message}</span> : answer && <><strong>{answer.allowed ? 'Yes' : 'No'}</strong>{answer.reason && ': ' + answer.reason}</>}
      </p>
    </form>
  )
}
