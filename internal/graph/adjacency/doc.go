// Package adjacency holds the concepts and the relationships of a graph in
// memory, for walks that would take a query a level on tables.
//
// A Builder takes what the tables hold, in any order, and builds a Graph. The
// Graph then follows the tables: Apply takes what has changed. View returns the
// graph as of one moment; it never changes, costs nothing to take, and may be
// read by many goroutines while Apply goes on. Apply waits for nobody, and
// starts no goroutine.
//
// The neighbours of 256 concepts with successive numbers stand in one page, as
// compressed sparse rows. Apply copies the pages that change, some tens of
// kilobytes each, and shares the others with the views before. So there is no
// list of changes that walks would have to consult, nothing to fold in later,
// and no lock for readers. A page that no view shows any more is garbage.
//
// An edge takes 6 bytes at each of its ends: the number of the neighbour, and
// the place of its kind (type, direction, confidence) in a dictionary of 65,536
// kinds. Where an edge's kind has no place there, its page takes 10 bytes for
// each. Confidences are exact in both.
//
// Numbers of concepts that are not used cost 8 bytes for each 256 in a row.
package adjacency
