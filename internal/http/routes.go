package http

// registerRoutes registers every route. Those that are not built yet come after
// the others, and the description of them all comes last.
func (s *Server) registerRoutes() {
	s.registerHealth()
	s.registerReady()
	s.registerLive()
	s.registerMetrics()
	s.registerOAuth()
	s.registerIngest()
	s.registerJobs()
	s.registerStream()
	s.registerOverview()
	s.registerTickets()
	s.registerOperate()
	s.registerWorkers()
	s.registerScheduler()
	s.registerQuery()
	s.registerGraph()
	s.registerNotBuilt()
	s.registerDocument()
}
