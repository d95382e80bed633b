package library

import (
	"sync"

	"github.com/kappagraph/kappa/knowledge/questions"
)

// mostDocuments is how many documents are kept, of a few hundred bytes each.
const mostDocuments = 1 << 14

// documentRows keeps what searches have read of documents as long as nothing changes: while somebody
// types, most are those of the key before. It is safe for concurrent use.
type documentRows struct {
	mu      sync.Mutex
	version int64 // of the index, with which they were read
	rows    map[int32]documentRow
}

// documentRow is a document; titled says that its title was read.
type documentRow struct {
	questions.FoundDocumentRow

	titled bool
}

// of returns those documents that are kept, with the titles of the first ones and of no others, and
// those that are to be read: of so many of them the title, too.
func (d *documentRows) of(version int64, ids []int32, titled int) (kept map[int32]questions.FoundDocumentRow, lacking []int32, titles int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	kept = make(map[int32]questions.FoundDocumentRow, len(ids))
	for i, id := range ids {
		row, ok := d.rows[id]
		switch {
		case !ok || version != d.version || i < titled && !row.titled:
			lacking = append(lacking, id)
			if i < titled {
				titles++
			}
			continue
		case i >= titled:
			row.Title = nil
		}
		kept[id] = row.FoundDocumentRow
	}
	return kept, lacking, titles
}

// keep keeps what was read of a list of documents, with the titles of the first ones.
func (d *documentRows) keep(version int64, ids []int32, titled int, read map[int32]questions.FoundDocumentRow) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if version < d.version {
		return
	}
	if version > d.version || len(d.rows)+len(read) > mostDocuments {
		d.version, d.rows = version, nil
	}
	if d.rows == nil {
		d.rows = make(map[int32]documentRow, len(read))
	}
	for i, id := range ids {
		if row, ok := read[id]; ok && (i < titled || !d.rows[id].titled) {
			d.rows[id] = documentRow{row, i < titled}
		}
	}
}
