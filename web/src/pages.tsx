import { lazy, type ComponentType } from 'react'

type May = (resource: string, action: string) => boolean

/** A page that is loaded when it is opened first, and who may open it. */
export interface RarePage {
  path: string // of the page, and of all below it
  name: string
  may: (may: May) => boolean
  page: ComponentType
}

/** Any of these permissions shows a part of the administration. */
export const administers: [resource: string, action: string][] = [
  ['users', 'read'], ['roles', 'read'], ['audit', 'read'], ['backups', 'read'], ['admin', 'status'], ['extraction_config', 'read'], ['storage', 'read'],
]

/** What is opened more rarely than what the navigation shows at once. */
export const rarePages: RarePage[] = [
  { path: '/ontologies', name: 'Ontologies', may: (may) => may('ontologies', 'read'), page: lazy(() => import('./ontologies/page')) },
  { path: '/vocabulary', name: 'Vocabulary', may: (may) => may('vocabulary', 'read'), page: lazy(() => import('./vocabulary/page')) },
  { path: '/data', name: 'Data', may: (may) => may('datasets', 'query'), page: lazy(() => import('./data/page')) },
  { path: '/admin', name: 'Administration', may: (may) => administers.some(([r, a]) => may(r, a)), page: lazy(() => import('./admin/page')) },
  { path: '/account', name: 'Account', may: () => true, page: lazy(() => import('./account/page')) },
]
