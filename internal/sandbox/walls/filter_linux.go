//go:build amd64 || arm64

package walls

import (
	"slices"

	"golang.org/x/sys/unix"
)

// rule says what becomes of a call of the system.
type rule struct {
	call uint32
	when *condition // nil = always; else the rule holds only then
	then uint32     // an action of seccomp(2)
}

// condition compares the lower half of an argument, which is all that the kernel reads of
// those that are compared here.
type condition struct {
	argument int
	mask     uint32
	value    uint32
}

// Actions.
const (
	allow  = unix.SECCOMP_RET_ALLOW
	kill   = unix.SECCOMP_RET_KILL_PROCESS
	refuse = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	lack   = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS) // as if the kernel did not know the call
)

// Offsets in what a filter is asked about: struct seccomp_data.
const (
	ofCall         = 0
	ofArchitecture = 4
	ofArguments    = 16
)

// x32 is set in the numbers of the calls of a 64-bit processor with 32-bit pointers, and in
// no other.
const x32 = 0x40000000

// assemble makes a program for the kernel of rules, of which the first that holds counts.
// What has no rule is refused. A call in the manner of another architecture, whose numbers
// mean other calls, meets foreign.
func assemble(rules []rule, foreign uint32) []unix.SockFilter {
	program := []unix.SockFilter{
		load(ofArchitecture),
		jump(unix.BPF_JEQ, architecture, 1, 0),
		end(foreign),
		load(ofCall),
		jump(unix.BPF_JGE, x32, 0, 1),
		end(foreign),
	}
	loaded := true // the number of the call
	for _, r := range rules {
		if !loaded {
			program = append(program, load(ofCall))
		}
		if r.when == nil {
			program = append(program, jump(unix.BPF_JEQ, r.call, 0, 1), end(r.then))
			loaded = true
			continue
		}
		program = append(program,
			jump(unix.BPF_JEQ, r.call, 0, 4),
			load(ofArguments+8*uint32(r.when.argument)),
			unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: r.when.mask},
			jump(unix.BPF_JEQ, r.when.value, 0, 1),
			end(r.then),
		)
		loaded = false
	}
	return append(program, end(refuse))
}

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

func jump(test uint16, value uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | test | unix.BPF_K, K: value, Jt: yes, Jf: no}
}

func end(action uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action}
}

// always makes the rule of each call the same.
func always(then uint32, calls ...uint32) []rule {
	var rules []rule
	for _, c := range calls {
		rules = append(rules, rule{call: c, then: then})
	}
	return rules
}

// argument allows a call when an argument is one of some values.
func argument(call uint32, n int, values ...uint32) []rule {
	var rules []rule
	for _, v := range values {
		rules = append(rules, rule{call: call, when: &condition{n, ^uint32(0), v}, then: allow})
	}
	return rules
}

// without allows a call when an argument has none of some bits.
func without(call uint32, n int, bits uint32) []rule {
	return []rule{{call: call, when: &condition{n, bits, 0}, then: allow}}
}

// rulesFor are those of a kind of program, whose process id is own. The rules with
// conditions come first: of the others each costs two instructions.
func rulesFor(c Config, own uint32) []rule {
	rules := conditional(c.Calls, own)
	allowed := slices.Concat(ofMemory, ofFiles, ofThreads, ofTime, ofItself, ofSignals, ofEvents)
	if c.Calls == CallsOfProgram {
		allowed = slices.Concat(allowed, ofStart, ofOldStart)
	}
	if c.Files != "" || c.Read != "" || c.Calls != CallsOfGo {
		allowed = slices.Concat(allowed, ofPaths, ofOldPaths)
	}
	rules = append(rules, always(allow, slices.Concat(allowed, ofOld)...)...)
	rules = append(rules, always(kill, slices.Concat(ofAttacks, ofOldAttacks)...)...)
	return append(rules, always(lack, unix.SYS_CLONE3)...) // its arguments cannot be seen; libraries take clone instead
}

// conditional are the rules of calls that are harmless with some arguments only.
func conditional(kind Calls, own uint32) []rule {
	rules := slices.Concat(
		[]rule{{call: unix.SYS_CLONE, when: &condition{0, threadFlags | newNamespaces, threadFlags}, then: allow}},
		argument(unix.SYS_TGKILL, 0, own), // Go interrupts its own threads
		argument(unix.SYS_KILL, 0, own),
		argument(unix.SYS_PRLIMIT64, 0, 0, own),
		argument(unix.SYS_SCHED_GETAFFINITY, 0, 0, own),
		argument(unix.SYS_PRCTL, 0, unix.PR_SET_NAME, unix.PR_GET_NAME, unix.PR_SET_VMA),
		argument(unix.SYS_FCNTL, 1, unix.F_GETFD, unix.F_SETFD, unix.F_GETFL, unix.F_SETFL, unix.F_GETLK, unix.F_SETLK, unix.F_DUPFD_CLOEXEC),
	)
	if kind != CallsOfDuckDB { // they make code while they run, or load it
		return append(rules, always(allow, unix.SYS_MMAP, unix.SYS_MPROTECT)...)
	}
	return slices.Concat(rules, without(unix.SYS_MMAP, 2, unix.PROT_EXEC), without(unix.SYS_MPROTECT, 2, unix.PROT_EXEC))
}

// What a clone must have to be a thread of this process, and must not have.
const (
	threadFlags   = unix.CLONE_VM | unix.CLONE_SIGHAND | unix.CLONE_THREAD
	newNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET
)
