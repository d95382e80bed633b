package http

// registerRoutes registers every route. Those that are not built yet come after
// the others, and the description of them all comes last.
func (s *Server) registerRoutes() {
	s.registerHealth(s.Router)
	s.registerReady(s.Router)
	s.registerLive(s.Router)
	s.registerMetrics(s.Router)
	s.registerOAuth(s.Router)
	s.registerIngest(s.Router)
	s.registerJobs(s.Router)
	s.registerStream(s.Router)
	s.registerOverview(s.Router)
	s.registerTickets(s.Router)
	s.registerOperate(s.Router)
	s.registerWorkers(s.Router)
	s.registerScheduler(s.Router)
	s.registerQuery(s.Router)
	s.registerGraph(s.Router)
	s.registerNotBuilt()
	s.registerDocument()
}
