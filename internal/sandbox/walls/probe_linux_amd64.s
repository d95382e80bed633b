#include "textflag.h"

// func tryForeign(program *unix.SockFprog, x32 uintptr) (pid uintptr)
//
// The new process has a copy of this one's memory and no other thread, so nothing of Go
// runs in it. It ends with 0 when the call was answered, with 1 when it was not, and with 2
// when it could not be tried.
TEXT ·tryForeign(SB), NOSPLIT, $0-24
	MOVQ	program+0(FP), R12
	MOVQ	x32+8(FP), R13
	MOVQ	$17, DI // SIGCHLD
	XORL	SI, SI
	XORL	DX, DX
	XORL	R10, R10
	XORL	R8, R8
	MOVQ	$56, AX // clone
	SYSCALL
	TESTQ	AX, AX
	JEQ	inside
	MOVQ	AX, pid+16(FP)
	RET

inside:
	MOVQ	$38, DI // PR_SET_NO_NEW_PRIVS
	MOVQ	$1, SI
	XORL	DX, DX
	XORL	R10, R10
	XORL	R8, R8
	MOVQ	$157, AX // prctl
	SYSCALL
	MOVQ	$1, DI // SECCOMP_SET_MODE_FILTER
	XORL	SI, SI
	MOVQ	R12, DX
	MOVQ	$317, AX // seccomp
	SYSCALL
	MOVQ	$2, DI
	TESTQ	AX, AX
	JNE	leave
	TESTQ	R13, R13
	JNE	wide
	MOVL	$20, AX // getpid of i386
	INT	$0x80
	JMP	answered

wide:
	MOVQ	$0x40000027, AX // getpid of x32
	SYSCALL

answered:
	XORL	DI, DI
	TESTL	AX, AX
	JGT	leave
	MOVQ	$1, DI

leave:
	MOVQ	$60, AX // exit
	SYSCALL
	INT	$3
