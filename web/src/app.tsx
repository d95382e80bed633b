import { useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, type ComponentType } from 'react'
import { Route, Router, Switch } from 'wouter'
import { HomePage } from './home/page'
import { follow } from './live/live'
import { rarePages } from './pages'
import { SessionGate, useMay, useSigned } from './signin/session'
import { Frame, useMayIngest } from './ui/frame'
import { Empty, Loading, Page } from './ui/page'
import { Toasts } from './ui/toast'

// A page is loaded when it is opened first, but for the one that one begins at.
const AskPage = later(() => import('./ask/page'))
const DocumentPage = later(() => import('./document/page'))
const IngestPage = later(() => import('./ingest/page'))
const JobPage = later(() => import('./jobs/job'))
const JobsPage = later(() => import('./jobs/page'))
const ExplorePage = lazy(() => import('./explore/page'))

const LanesPage = lazy(() => import('./lanes/page'))

/** later returns a page that is loaded when it is opened first. */
function later<P extends object>(load: () => Promise<{ default: ComponentType<P> }>) {
  const Later: ComponentType<P> = lazy(load)
  return (props: P) => (
    <Suspense fallback={<Loading what="the page" />}>
      <Later {...props} />
    </Suspense>
  )
}

export function App() {
  return (
    <Router base="/console">
      <SessionGate>
        <Signed />
      </SessionGate>
      <Toasts />
    </Router>
  )
}

function Signed() {
  const client = useQueryClient()
  const may = useMay()
  const ingests = useMayIngest()
  const watches = may('jobs', 'read')
  const user = useSigned().session.user.id
  useEffect(() => (watches ? follow(client, user) : undefined), [client, watches, user])
  return (
    <Frame>
      <Switch>
        <Route path="/" component={HomePage} />
        {ingests && <Route path="/ingest" component={IngestPage} />}
        <Route path="/jobs" component={JobsPage} />
        <Route path="/jobs/:id">{(p) => <JobPage key={p.id} id={p.id} />}</Route>
        <Route path="/ask" component={AskPage} />
        <Route path="/explore">
          <Suspense fallback={<Loading what="the page" />}>
            <ExplorePage />
          </Suspense>
        </Route>
        {may('workers', 'view') && (
          <Route path="/lanes/*?">
            <Suspense fallback={<Loading what="the page" />}>
              <LanesPage />
            </Suspense>
          </Route>
        )}
        {rarePages
          .filter((p) => p.may(may))
          .map(({ path, page: Rare }) => (
            <Route key={path} path={path + '/*?'}>
              <Suspense fallback={<Loading what="the page" />}>
                <Rare />
              </Suspense>
            </Route>
          ))}
        <Route path="/documents/:id">{(p) => <DocumentPage key={p.id} id={decodeURIComponent(p.id)} />}</Route>
        <Route>
          <Page title="No such page">
            <Empty title="There is no page at this address.">Choose one above, or search for what you look for.</Empty>
          </Page>
        </Route>
      </Switch>
    </Frame>
  )
}
