package demo

import "syscall"

// dieWithParent lets the kernel stop the child when we are killed.
func dieWithParent(attributes *syscall.SysProcAttr) { attributes.Pdeathsig = syscall.SIGTERM }
