// Command api measures what authentication costs: the processor time of a token, and
// GET /jobs/{id} with a token beside the same route without one. The server and its
// clients are in this process, on a private cluster beside it, so that the figures are
// those of one machine that does both.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/pprof"
	"syscall"
	"time"
)

// What is demanded.
const (
	tokenCPU  = time.Millisecond
	perSecond = 5000.0
	share     = 0.5 // of the rate without authentication
)

func main() {
	seconds := flag.Duration("time", 5*time.Second, "how long each rate is measured")
	tokens := flag.Int("tokens", 2000, "how many tokens are asked for")
	clients := flag.Int("clients", 16, "how many clients ask at once")
	profile := flag.String("cpuprofile", "", "write a profile of GET /jobs/{id} with a token to this file, and measure nothing else")
	strict := flag.Bool("strict", false, "fail when a demand is missed")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if *profile != "" {
		if err := profiled(ctx, *profile, *seconds, *clients); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	missed, err := run(ctx, *seconds, *tokens, *clients)
	if err == nil && *strict && missed > 0 {
		err = fmt.Errorf("%d demands were missed", missed)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, within time.Duration, tokens, clients int) (missed int, err error) {
	b, err := open(ctx)
	if err != nil {
		return 0, err
	}
	defer b.close(ctx)
	fmt.Printf("api: %d clients in the process of the server, %d processors\n\n", clients, runtime.NumCPU())
	cpu, err := b.tokenCPU(ctx, tokens)
	if err != nil {
		return 0, err
	}
	fmt.Printf("%-46s %9.2f ms\n", "a token, processor time with the client's", float64(cpu.Microseconds())/1000)
	if cpu > tokenCPU {
		missed++
		fmt.Printf("  more than %s\n", tokenCPU)
	}
	// One after the other and again, so that what else the machine does meets both.
	var open, guarded speed
	for range 2 {
		n, err := b.rate(ctx, b.open, clients, within/2)
		if err != nil {
			return missed, err
		}
		open = open.and(n)
		if n, err = b.rate(ctx, b.guarded, clients, within/2); err != nil {
			return missed, err
		}
		guarded = guarded.and(n)
	}
	fmt.Printf("%-46s %s\n%-46s %s\n%-46s %9.2f\n", "GET /jobs/{id} without authentication", open, "GET /jobs/{id} with a token", guarded, "share", guarded.perSecond()/open.perSecond())
	if guarded.perSecond() < perSecond && guarded.perSecond() < share*open.perSecond() {
		missed++
		fmt.Printf("  less than %.0f a second, and less than %.1f of the rate without authentication\n", perSecond, share)
	}
	return missed, nil
}

// profiled writes a profile of the processor time of requests with a token.
func profiled(ctx context.Context, path string, within time.Duration, clients int) error {
	b, err := open(ctx)
	if err != nil {
		return err
	}
	defer b.close(ctx)
	if _, err := b.rate(ctx, b.guarded, clients, within/5); err != nil { // connections, caches
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := pprof.StartCPUProfile(file); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	n, err := b.rate(ctx, b.guarded, clients, within)
	fmt.Println("GET /jobs/{id} with a token:", n)
	return err
}
