package adjacency

import (
	"errors"
	"fmt"
)

// ErrMemory reports that the graph would take more bytes than it may.
var ErrMemory = errors.New("the graph does not fit into its memory limit")

// Edge is a relationship that points from one concept to another. There is at
// most one for two ends and a type.
type Edge struct {
	Src, Dst   int32   // numbers of concepts, 0 or more
	Type       int32   // number of a relationship type, 0 or more
	Confidence float32 // 0 to 1
}

// check returns an error that names the rule that e breaks.
func (e Edge) check() error {
	switch {
	case e.Src < 0 || e.Dst < 0 || e.Type < 0:
		return fmt.Errorf("edge from %d to %d of type %d: a number is negative", e.Src, e.Dst, e.Type)
	case e.Src == e.Dst:
		return fmt.Errorf("edge of type %d: concept %d is both its ends", e.Type, e.Src)
	case !(e.Confidence >= 0 && e.Confidence <= 1):
		return fmt.Errorf("edge from %d to %d of type %d: confidence %v is not between 0 and 1", e.Src, e.Dst, e.Type, e.Confidence)
	}
	return nil
}

// Concept is a concept's number and its id, of 1 to 200 bytes.
type Concept struct {
	Number int32
	ID     string
}

// maxID is the longest id of a concept, in bytes. All ids of a page have fewer
// than 65,536.
const maxID = 200

func (c Concept) check() error {
	if c.Number < 0 || c.ID == "" || len(c.ID) > maxID {
		return fmt.Errorf("concept %d with an id of %d bytes: its number is 0 or more, its id has 1 to %d bytes", c.Number, len(c.ID), maxID)
	}
	return nil
}

// Type is a relationship type's number and its name.
type Type struct {
	Number int32
	Name   string
}

// Op is what a Change does.
type Op uint8

const (
	// Put says that the edge is there with this confidence; it may have been there
	// with another.
	Put Op = iota
	// Delete says that the edge is not there; its confidence does not matter.
	Delete
)

// Change is a change of one edge. It says what is true afterwards, so that
// taking it twice, or when the graph has it already, changes nothing.
type Change struct {
	Op   Op
	Edge Edge
}

// Delta is what changed between two epochs of the graph.
type Delta struct {
	Epoch   int64     // of the graph afterwards
	Changes []Change  // in their order: of two changes of the same edge the later one counts
	New     []Concept // also those that are known already
	Gone    []int32   // concepts that are no more; their edges go by Changes of their own
	Types   []Type    // new ones, or known ones with another name
}

// Neighbour is the other end of an edge, as seen from a concept.
type Neighbour struct {
	Concept    int32
	Type       int32
	Forward    bool // the edge points to this neighbour
	Confidence float32
}
