package corpus

import (
	"path"

	"github.com/kappagraph/kappa/internal/check"
)

// The longest names of documents and of where they come from, in characters.
const (
	MaxFilename   = 500
	MaxSourcePath = 4096
)

// Placement says where a document of an ontology comes from now: its file was moved.
type Placement struct {
	DocumentID string
	Ontology   string
	SourcePath string
	Filename   string // "": the last element of SourcePath
	Owner      int    // who must have ingested it; 0 = whoever has
}

// Validate reports every rule that p breaks, and fills in the name.
func (p *Placement) Validate() error {
	var r check.Rules
	if p.Filename == "" {
		p.Filename = path.Base(p.SourcePath)
	}
	r.Add("body", "source_path", check.Name(p.SourcePath, MaxSourcePath))
	r.Add("body", "filename", check.Name(p.Filename, MaxFilename))
	return r.Err()
}
