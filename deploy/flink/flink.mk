# A real Flink cluster on this machine: a JobManager, two TaskManagers of two slots each, and
# a pool of Beam workers.  Needs Java 11 or 17, and Maven once.  State lies in build/flink.
.PHONY: flink-fetch flink-up flink-demo flink-down

flink-fetch: $(VENV)/.core
	@$(BIN)/python deploy/flink/local/cluster.py fetch

flink-up: flink-fetch  ## start a local Flink cluster, and fetch it the first time
	@$(BIN)/python deploy/flink/local/cluster.py up

flink-demo: flink-up  ## build the demo dataset directly and on that cluster, and compare
	@$(BIN)/python deploy/flink/local/demo.py

flink-down:  ## stop that cluster
	@$(PYTHON) deploy/flink/local/cluster.py down
