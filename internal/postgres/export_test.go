package postgres

// For the tests that read its plan, or run it in a transaction of their own.
var (
	ClaimSQL  = claimSQL
	ClaimArgs = claimArgs
)

// RegisteredOn has a worker registered on a timeline; 0 is none.
func (p *Primary) RegisteredOn(timeline int) { p.registered = timeline }

// See has a server say what it is, as Validate does.
func (p *Primary) See(system string, timeline int) error { return p.see(system, timeline) }
