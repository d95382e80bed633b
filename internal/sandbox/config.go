package sandbox

import (
	"cmp"
	"io"
	"log/slog"
	"time"

	"github.com/kappagraph/kappa/internal/sandbox/frame"
)

// Config is what a Pool needs. Name, Bin and Children are required.
type Config struct {
	Name string   // of a child, in the log and among processes; at most 15 bytes, such as kg-data
	Bin  string   // its program
	Args []string // of the program, such as its command; the arguments of the walls are added to them
	Dir  string   // of the files that a child may open; "" = none

	// OwnProcesses gives each child a namespace of processes. It is not for a program that is
	// built with cgo: Landlock finds the threads of that by the process id that it sees
	// itself, which then means another process in /proc.
	OwnProcesses bool

	Children int           // processes at once
	Memory   uint64        // bytes of address space of a child beside what it maps at its start; default 2 GiB
	Resident uint64        // bytes of memory that a child may hold at once; 0 = as Memory
	Tasks    int           // tasks after which a child is replaced; default 50
	Start    time.Duration // until a child is ready; default 10 s

	Ahead bool          // whoever takes the place of a child is started before it is needed
	Idle  time.Duration // after which a child that does nothing is ended, but for the last one; 0 = never

	MaxRequest int // bytes of the frame of a task; default 1 MiB
	MaxAnswer  int // likewise of an answer; default 64 MiB
	MaxTrail   int // bytes that may follow an answer

	// Input says that each child reads a file of its own, into which a task writes; see
	// Task. The child has it as its descriptor InputDescriptor.
	Input bool

	Ready func(h frame.Hello) // called with what the first child said; may be nil
	Log   *slog.Logger        // nil logs nothing
}

func (c Config) withDefaults() Config {
	c.Memory = cmp.Or(c.Memory, 2<<30)
	c.Resident = cmp.Or(c.Resident, c.Memory)
	c.Tasks = cmp.Or(c.Tasks, 50)
	c.Start = cmp.Or(c.Start, 10*time.Second)
	c.MaxRequest = cmp.Or(c.MaxRequest, 1<<20)
	c.MaxAnswer = cmp.Or(c.MaxAnswer, 64<<20)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	c.Log = c.Log.With("program", c.Name)
	return c
}

// Task is what a child is asked.
type Task struct {
	Request any // encoded as JSON
	Answer  any // a pointer, into which the answer is decoded; after an error its content is undefined

	// Trail becomes what follows the answer; or ReadTrail is called when the answer is there,
	// to read all of it. An error of ReadTrail is the child's failure. Both nil = nothing may.
	Trail     *[]byte
	ReadTrail func(r io.Reader) error

	// What the task asks for bounds what may come back: bytes of the frame of the answer, and
	// of the trail. 0 = as many as those of any task, see Config.
	MostAnswer, MostTrail int

	// Progress is called with how much is done of the task, which grows; nil = nothing may be said
	// of it.
	Progress func(steps, of int)

	// Input writes what the child reads from its file, which is empty before; it may be
	// called again for another child. nil = the file stays empty.
	Input func(w io.Writer) error

	// Harmed is called when Answer is there, and says that its child must not have another
	// task. nil = it may.
	Harmed func() bool
}

// Stats are figures of a pool.
type Stats struct {
	Alive, Busy              int
	Tasks, Started           int64
	Killed, Crashed, Retired int64 // children: at a deadline or cancel, by themselves, after their tasks
}
