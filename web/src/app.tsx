import { useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useEffect } from 'react'
import { Route, Router, Switch } from 'wouter'
import { AskPage } from './ask/page'
import { DocumentPage } from './document/page'
import { HomePage } from './home/page'
import { IngestPage } from './ingest/page'
import { JobPage } from './jobs/job'
import { JobsPage } from './jobs/page'
import { follow } from './live/live'
import { rarePages } from './pages'
import { SessionGate, useMay } from './signin/session'
import { Frame, useMayIngest } from './ui/frame'
import { Empty, Loading, Page } from './ui/page'
import { Toasts } from './ui/toast'

// What draws the graph is loaded when it is needed first.
const ExplorePage = lazy(() => import('./explore/page'))

const LanesPage = lazy(() => import('./lanes/page'))

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
  useEffect(() => (watches ? follow(client) : undefined), [client, watches])
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
