package work

// Resources are how busy the machine of a server is, each 0 to 100.
type Resources struct {
	CPU    float64 `json:"cpu_percent" doc:"Of all processors, on average of the last minute"`
	Memory float64 `json:"memory_percent"`
	Disk   float64 `json:"disk_percent" doc:"Of the file system with the data directory"`
}
