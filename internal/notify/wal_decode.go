package notify

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pglogrepl"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

const (
	walSchema = "kg_api"
	walTable  = "job_events"
	// walPrefix marks the messages in the log that name jobs which have new events
	// without rows: each with the number of its last event behind a colon, and
	// commas between them.
	walPrefix = "kg_jobs"

	// walBatchMost is how many events are handed over at once. The server sends a
	// transaction only when it has committed, so the first events of a huge one
	// need not wait for its end.
	walBatchMost = 1000

	// walTime is how timestamptz is written with datestyle ISO and timezone UTC;
	// a fraction of the second is read too.
	walTime = "2006-01-02 15:04:05-07"
)

// walDecoder makes events of the messages of a replication stream, version 1 of
// the protocol of pgoutput. It needs them in the order sent, from the beginning.
type walDecoder struct {
	tables map[uint32]*walColumns // nil for tables that are not ours
	open   bool                   // within a transaction
	events []work.Event           // of it, not handed over yet
	jobs   map[string]int64       // of it, with events that have no rows: the number of the last one
}

// walColumns says where in a row the columns of the event table are.
type walColumns struct{ jobID, seq, kind, payload, at int }

// walBatch is what a message adds to what may be handed over: events of a
// committed transaction, jobs that have further ones, and where and when it ended
// if it has.
type walBatch struct {
	events    []work.Event
	jobs      map[string]int64 // the number of the last event of each
	ended     bool
	end       pglogrepl.LSN
	committed time.Time // on the server's clock
}

// decode takes the next message. It returns an error for one that makes no
// sense, after which the stream is of no use; it does not panic.
func (d *walDecoder) decode(message []byte) (batch walBatch, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("decode a replication message: panic: %v", p)
		}
	}()
	if batch, err = d.next(message); err != nil {
		return walBatch{}, fmt.Errorf("decode a replication message: %w", err)
	}
	return batch, nil
}

func (d *walDecoder) next(message []byte) (walBatch, error) {
	if len(message) == 0 {
		return walBatch{}, errors.New("empty message")
	}
	switch kind := pglogrepl.MessageType(message[0]); kind {
	case pglogrepl.MessageTypeInsert:
		return d.insert(message[1:])
	case pglogrepl.MessageTypeBegin, pglogrepl.MessageTypeCommit, pglogrepl.MessageTypeRelation:
		parsed, err := pglogrepl.Parse(message)
		if err != nil {
			return walBatch{}, err
		}
		return d.frame(parsed)
	case pglogrepl.MessageTypeMessage:
		return walBatch{}, d.named(message[1:])
	case pglogrepl.MessageTypeOrigin, pglogrepl.MessageTypeType,
		pglogrepl.MessageTypeUpdate, pglogrepl.MessageTypeDelete, pglogrepl.MessageTypeTruncate:
		return walBatch{}, nil // no new events, whatever the publication was made to contain
	default:
		return walBatch{}, fmt.Errorf("unknown type %q", byte(kind))
	}
}

// frame takes what surrounds the rows.
func (d *walDecoder) frame(message pglogrepl.Message) (walBatch, error) {
	switch m := message.(type) {
	case *pglogrepl.RelationMessage:
		return walBatch{}, d.table(m)
	case *pglogrepl.BeginMessage:
		if d.open {
			return walBatch{}, errors.New("a transaction begins within another")
		}
		d.open = true
		return walBatch{}, nil
	case *pglogrepl.CommitMessage:
		if !d.open {
			return walBatch{}, errors.New("a transaction ends that did not begin")
		}
		batch := walBatch{events: d.events, jobs: d.jobs, ended: true, end: m.TransactionEndLSN, committed: m.CommitTime}
		d.open, d.events, d.jobs = false, nil, nil
		return batch, nil
	}
	return walBatch{}, fmt.Errorf("unexpected message %T", message)
}

// table records where a table has its columns. They are found by name: a later
// migration may add some.
func (d *walDecoder) table(m *pglogrepl.RelationMessage) error {
	if d.tables == nil {
		d.tables = map[uint32]*walColumns{}
	}
	if m.Namespace != walSchema || m.RelationName != walTable {
		d.tables[m.RelationID] = nil
		return nil
	}
	place := map[string]int{}
	for i, c := range m.Columns {
		place[c.Name] = i
	}
	columns := &walColumns{}
	for name, to := range map[string]*int{
		"job_id": &columns.jobID, "seq": &columns.seq, "kind": &columns.kind,
		"payload": &columns.payload, "at": &columns.at,
	} {
		i, ok := place[name]
		if !ok {
			return fmt.Errorf("column %s of %s.%s is not published", name, walSchema, walTable)
		}
		*to = i
	}
	d.tables[m.RelationID] = columns
	return nil
}

// named takes a message that somebody wrote into the log. Those of others are
// left out: every program may write some.
func (d *walDecoder) named(message []byte) error {
	const transactional = 1
	r := walReader{rest: message}
	flags := r.byte()
	r.take(8) // where it is in the log
	prefix := r.text()
	content := r.take(int(r.uint32()))
	if r.short {
		return errWALShort
	}
	if prefix != walPrefix || flags&transactional == 0 {
		return nil
	}
	if !d.open {
		return errors.New("a message of a transaction outside of one")
	}
	for place := range strings.SplitSeq(string(content), ",") {
		id, text, _ := strings.Cut(place, ":")
		seq, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			continue // every program may write one; the safety poll finds what it meant
		}
		if d.jobs == nil {
			d.jobs = map[string]int64{}
		}
		d.jobs[id] = max(d.jobs[id], seq)
	}
	return nil
}

// insert takes a new row. The driver's decoder is not used for it: that
// allocates as much as a length says, up to 4 GB, before it checks whether so much
// was sent.
func (d *walDecoder) insert(message []byte) (walBatch, error) {
	r := walReader{rest: message}
	id, tuple := r.uint32(), r.byte()
	columns, known := d.tables[id]
	switch {
	case r.short:
		return walBatch{}, errWALShort
	case tuple != 'N':
		return walBatch{}, fmt.Errorf("a new row of type %q", tuple)
	case !known:
		return walBatch{}, fmt.Errorf("a row of table %d, which was not described", id)
	case !d.open:
		return walBatch{}, errors.New("a row outside of a transaction")
	case columns == nil:
		return walBatch{}, nil
	}
	values, err := r.row()
	if err != nil {
		return walBatch{}, err
	}
	event, err := columns.event(values)
	if err != nil {
		return walBatch{}, err
	}
	d.events = append(d.events, event)
	if len(d.events) < walBatchMost {
		return walBatch{}, nil
	}
	batch := walBatch{events: d.events}
	d.events = nil
	return batch, nil
}

// event makes the event of a row. It keeps nothing of values.
func (c *walColumns) event(values [][]byte) (work.Event, error) {
	for _, i := range []int{c.jobID, c.seq, c.kind, c.payload, c.at} {
		if i >= len(values) || values[i] == nil {
			return work.Event{}, fmt.Errorf("column %d of an event has no value", i+1)
		}
	}
	seq, err := strconv.ParseInt(string(values[c.seq]), 10, 64)
	if err != nil {
		return work.Event{}, fmt.Errorf("number of an event: %w", err)
	}
	at, err := time.Parse(walTime, string(values[c.at]))
	if err != nil {
		return work.Event{}, fmt.Errorf("time of an event: %w", err)
	}
	return work.StoredEvent(work.Event{
		JobID: string(values[c.jobID]), Seq: seq, Kind: work.EventKind(values[c.kind]),
		Payload: bytes.Clone(values[c.payload]), At: kappa.At(at),
	})
}
