// Package walls keeps a process from doing harm, whatever takes it over: the process builds
// them around itself before it hears of any task, for good and for all its threads. Limits
// of memory and time, and the end with its parent, are required; what else the system
// offers is set and tried, and what it does not offer is said.
package walls

import (
	"cmp"
	"flag"
	"os"
)

// ExitOutOfTime is the exit code of a process that has used up its processor time.
const ExitOutOfTime = 5

// InputDescriptor is the file that a child reads beside a task; see sandbox.Config.
const InputDescriptor = 4

// maxOpenFiles bounds the descriptors of a process.
const maxOpenFiles = 128

// Config says how narrow the walls are.
type Config struct {
	Name   string // by which the process is called; at most 15 bytes
	Memory uint64 // bytes of address space beside what is mapped at the start, little of which is used
	Files  string // the directory that may be read, and in which a result may be written; "" = none
	Read   string // the directory that may be read besides; "" = none
	Input  bool   // it was given InputDescriptor
	Parent int    // the process id of the server, with which this process ends; 0 = whichever it is

	// Programs may be run and read, files and all that is in directories; those that are not
	// there are left out. It is for CallsOfProgram.
	Programs []string

	Calls Calls // which calls of the system it may make

	FileBytes  uint64 // of a file that is written; default 4 GiB
	CPUSeconds uint64 // processor time of the process's life; default 2400
}

// Calls are the calls of the system that a kind of program needs.
type Calls int

// The kinds.
const (
	CallsOfDuckDB  Calls = iota // Go, and a library in C++ with threads of its own that opens files
	CallsOfGo                   // Go alone, with code that is made while it runs
	CallsOfProgram              // a program that takes the place of this one; see Become
)

// Flags adds the arguments that a sandbox.Pool starts its children with.
func (c *Config) Flags(set *flag.FlagSet) {
	set.Uint64Var(&c.Memory, "memory", 2<<30, "bytes of address space beside what is mapped at the start")
	set.StringVar(&c.Files, "files", "", "directory of the files")
	set.BoolVar(&c.Input, "input", false, "a descriptor is given to be read")
	set.IntVar(&c.Parent, "parent", 0, "process id of the server")
}

func (c Config) withDefaults() Config {
	c.FileBytes = cmp.Or(c.FileBytes, 4<<30)  // of a result that is exported
	c.CPUSeconds = cmp.Or(c.CPUSeconds, 2400) // a job of 10 minutes on every thread, and room
	return c
}

// Walls are those of this process.
type Walls struct {
	InForce    []string // the protections that were set and read back
	NotInForce []string // those that this system does not offer, each with its reason

	statm *os.File   // opened before the walls stand: behind them /proc cannot be
	kept  []*os.File // stay open as long as the process
	unset error      // why the files are not bounded, though this system offers that
}

// Standard are what a child was started with as its standard descriptors.
type Standard struct{ In, Out, Err *os.File }
