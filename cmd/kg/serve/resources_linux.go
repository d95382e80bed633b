package serve

import (
	"bufio"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/kappagraph/kappa/work"
)

// machineResources says how busy this machine is; nil when it does not tell. dir is in the
// file system whose space counts.
func machineResources(dir string) *work.Resources {
	load, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return nil
	}
	word, _, _ := strings.Cut(string(load), " ")
	running, err := strconv.ParseFloat(word, 64)
	if err != nil {
		return nil
	}
	memory, ok := memoryInUse()
	var disk unix.Statfs_t
	if !ok || unix.Statfs(dir, &disk) != nil || disk.Blocks == 0 {
		return nil
	}
	return &work.Resources{
		CPU: percent(running / float64(runtime.NumCPU())), Memory: percent(memory), Disk: percent(1 - float64(disk.Bavail)/float64(disk.Blocks)),
	}
}

// memoryInUse is the share of the memory that nobody else can have.
func memoryInUse() (share float64, ok bool) {
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	defer f.Close() //nolint:errcheck // it was only read
	kilobytes := map[string]float64{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if fields := strings.Fields(lines.Text()); len(fields) >= 2 {
			kilobytes[fields[0]], _ = strconv.ParseFloat(fields[1], 64)
		}
	}
	total := kilobytes["MemTotal:"]
	return 1 - kilobytes["MemAvailable:"]/total, total > 0
}

// percent is a share in percent with one digit behind the point, 0 to 100.
func percent(share float64) float64 {
	return math.Round(min(1, max(0, share))*1000) / 10
}
