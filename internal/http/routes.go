package http

// registerRoutes registers every route. Those that are not built yet come after
// the others, and the description of them all comes last.
func (s *Server) registerRoutes() {
	s.registerHealth()
	s.registerOAuth()
	s.registerIngest()
	s.registerJobs()
	s.registerStream()
	s.registerOperate()
	s.registerWorkers()
	s.registerScheduler()
	s.registerQuery()
	s.registerGraph()
	s.registerNotBuilt()
	s.registerDocument()
}
