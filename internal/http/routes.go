package http

import "errors"

// registerRoutes registers every route. Those that are not built yet come after
// the others, and the description of them all comes last.
func (s *Server) registerRoutes() error {
	var broken []error
	for _, resource := range s.resources {
		broken = append(broken, resource.Register(s.Router))
	}
	s.registerNotBuilt()
	s.registerDocument()
	return errors.Join(broken...)
}
