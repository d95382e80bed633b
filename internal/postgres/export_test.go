package postgres

// For the tests that read its plan, or run it in a transaction of their own.
var (
	ClaimSQL  = claimSQL
	ClaimArgs = claimArgs
)

// See has a server say what it is, as Validate does.
func (p *Primary) See(system string, timeline int) error { return p.see(system, timeline) }
