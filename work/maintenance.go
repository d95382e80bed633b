package work

// MaintenanceFigures say how much there is to be done; counts of rows end at 1,000.
type MaintenanceFigures struct {
	Types           int // active relationship types
	CustomTypes     int // that are not built in
	UnsortedTypes   int // without a category of their own
	UnembeddedTypes int
	UnmeasuredTypes int // added since the last measurement
	Concepts        int
	Unprojected     int // concepts that were added since the oldest projection that somebody has looked at within a week
	Unembedded      int // source chunks
	Ontologies      int
	Unannealed      int // epochs of the graph since the ontologies were last annealed
	Reading         int // ingestions that wait or run
}
