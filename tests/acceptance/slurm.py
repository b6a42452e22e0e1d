"""`warpmem study submit --slurm` on a real Slurm that this test starts: two
nodes on one host, as an unprivileged folder of its own.

A study of 200 points; while it runs a task is killed, a node is killed, and the
controller is killed and started again.  The table must be that of a run on one
machine, byte for byte, and no finished point may have been run again.
"""
import glob
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import wm

NEEDED = ("munged", "mungekey", "slurmctld", "slurmd", "sbatch", "squeue",
          "sinfo", "scancel")
CONF = """ClusterName=simtest
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=@PORT0@
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=@BASE@/munge.sock
CredType=cred/munge
SlurmctldPidFile=@BASE@/slurmctld.pid
SlurmdPidFile=@BASE@/slurmd.%n.pid
StateSaveLocation=@BASE@/state
SlurmdSpoolDir=@BASE@/spool.%n
SlurmctldLogFile=@BASE@/slurmctld.log
SlurmdLogFile=@BASE@/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
MpiDefault=none
SwitchType=switch/none
SchedulerType=sched/backfill
SchedulerParameters=sched_min_interval=0,batch_sched_delay=0,bf_interval=1,sched_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
PriorityType=priority/basic
ReturnToService=2
SlurmctldTimeout=30
SlurmdTimeout=10
KillWait=3
MinJobAge=300
InactiveLimit=0
PropagateResourceLimits=NONE
NodeName=n1 NodeHostname=localhost NodeAddr=127.0.0.1 Port=@PORT1@ CPUs=2 RealMemory=1000 State=UNKNOWN
NodeName=n2 NodeHostname=localhost NodeAddr=127.0.0.1 Port=@PORT2@ CPUs=2 RealMemory=1000 State=UNKNOWN
PartitionName=sim Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
"""


def free_ports(n):
    sockets = [socket.socket() for _ in range(n)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def command_line(pid):
    try:
        with open("/proc/%d/cmdline" % pid, "rb") as stream:
            return stream.read().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        return ""


def environment(pid):
    try:
        with open("/proc/%d/environ" % pid, "rb") as stream:
            return stream.read().decode("utf-8", "replace").split("\0")
    except OSError:
        return []


def processes(wanted):
    """Pids of this instance for which wanted(command line, environment)."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            if wanted(command_line(int(name)), environment(int(name))):
                found.append(int(name))
    return found


class Slurm:
    def __init__(self):
        self.base = tempfile.mkdtemp(prefix="wm_slurm_")
        self.env = dict(os.environ,
                        SLURM_CONF=os.path.join(self.base, "slurm.conf"))
        text = CONF.replace("@BASE@", self.base)
        for i, port in enumerate(free_ports(3)):
            text = text.replace("@PORT%d@" % i, str(port))
        with open(self.env["SLURM_CONF"], "w") as stream:
            stream.write(text)
        for name in ("state", "spool.n1", "spool.n2"):
            os.mkdir(os.path.join(self.base, name))
        os.chmod(self.base, 0o755)

    def path(self, name):
        return os.path.join(self.base, name)

    def start(self):
        subprocess.run(["mungekey", "-c", "-k", self.path("key")], check=True)
        subprocess.run(["munged", "--force", "--key-file", self.path("key"),
                        "--socket", self.path("munge.sock"),
                        "--pid-file", self.path("munged.pid"),
                        "--log-file", self.path("munged.log"),
                        "--seed-file", self.path("munged.seed")], check=True)
        self.controller()
        self.node("n1")
        self.node("n2")
        self.until("two idle nodes", lambda: "2 idle" in self.say(
            "sinfo", "-h", "-o", "%D %T"), 60)

    def controller(self):
        subprocess.run(["slurmctld"], env=self.env, check=True)

    def node(self, name):
        subprocess.run(["slurmd", "-N", name], env=self.env, check=True)

    def say(self, *args):
        return subprocess.run(args, env=self.env, capture_output=True,
                              text=True).stdout

    def until(self, what, holds, seconds):
        end = time.time() + seconds
        while not holds():
            wm.check(time.time() < end, "no %s within %d s\n%s" % (
                what, seconds, self.say("sinfo") + self.say("squeue")))
            time.sleep(0.2)

    def pid(self, name):
        try:
            return int(open(self.path(name)).read())
        except (OSError, ValueError):
            return 0

    def kill(self, pid, how=signal.SIGKILL):
        if pid > 0:
            try:
                os.kill(pid, how)
            except ProcessLookupError:
                pass

    def stop(self):
        # Only what this instance started: it knows the folder.
        for how in (signal.SIGTERM, signal.SIGKILL):
            for name in ("slurmctld.pid", "slurmd.n1.pid", "slurmd.n2.pid",
                         "munged.pid"):
                self.kill(self.pid(name), how)
            time.sleep(0.5)
        mine = "SLURM_CONF=" + self.env["SLURM_CONF"]
        for pid in processes(lambda line, env: mine in env):
            self.kill(pid)
        shutil.rmtree(self.base, ignore_errors=True)


def counted(folder):
    try:
        return len(glob.glob(os.path.join(folder, "results", "*.json")))
    except OSError:
        return 0


def no_point_ran_twice(folder):
    done = {}
    starts = 0
    for line in open(os.path.join(folder, "journal.jsonl")):
        event = json.loads(line)
        point = event["point"]
        if event["event"] == "start":
            starts += 1
            wm.check(point not in done, "started again: %s" % event)
        elif event["event"] == "done":
            wm.check(point not in done, "ran twice: %s, %s" % (
                event, done.get(point)))
            done[point] = event
    return starts, len(done)


def kill_a_task(slurm, results):
    """kill -9 of one running task's process, not of Slurm's."""
    def task(line, env):
        return "study run" in line and results in line
    slurm.until("running task", lambda: processes(task), 60)
    pid = processes(task)[0]
    slurm.kill(pid)
    print("killed task %d" % pid)


def holds_open(pid, part):
    folder = "/proc/%d/fd" % pid
    try:
        return any(part in os.readlink(os.path.join(folder, name))
                   for name in os.listdir(folder))
    except OSError:
        return False


def kill_a_node(slurm, name):
    """kill -9 of slurmd, its step daemons and all that they run."""
    log = slurm.path("slurmd.%s.log" % name)
    mine = "SLURM_CONF=" + slurm.env["SLURM_CONF"]
    slurm.kill(slurm.pid("slurmd.%s.pid" % name))
    tasks = processes(lambda line, env: mine in env and
                      "SLURMD_NODENAME=" + name in env)
    steps = [pid for pid in processes(lambda line, env: "slurmstepd" in line)
             if holds_open(pid, log)]
    for pid in steps + tasks:
        slurm.kill(pid)
    print("killed node %s: slurmd, %d steps, %d tasks" % (
        name, len(steps), len(tasks)))


def make_study(folder):
    trace = os.path.join(folder, "gather.wmt")
    done = wm.run("trace", "gen", "gather", "-o", trace, "--span", "4M",
                  "--ctas", 96)
    wm.check(done.code == 0, done.err)
    path = os.path.join(folder, "s.yaml")
    with open(path, "w") as stream:
        stream.write("traces: [gather.wmt]\nconfigs: [%s]\naxes:\n"
                     "  l2.latency: 200..390 step 10\n"
                     "  dram.latency: 100 ns..280 ns step 20 ns\n" % wm.REF)
    return path


def disturb(slurm, results, submit):
    slurm.until("first result", lambda: counted(results) >= 10, 120)
    kill_a_task(slurm, results)
    slurm.until("progress", lambda: counted(results) >= 40, 120)
    kill_a_node(slurm, "n2")
    slurm.until("progress", lambda: counted(results) >= 60, 120)
    slurm.kill(slurm.pid("slurmctld.pid"))
    print("killed the controller at %d points" % counted(results))
    time.sleep(1)
    slurm.controller()
    time.sleep(5)
    if submit.poll() is None:
        slurm.node("n2")
        print("node n2 is back")


def run(slurm, folder):
    path = make_study(folder)
    results = os.path.join(folder, "s.results")
    alone = os.path.join(folder, "alone")
    table = os.path.join(folder, "table.csv")
    done = wm.run("study", "run", "-q", "-j", 1, "-d", alone, path)
    wm.check(done.code == 0, done.err)
    wanted = wm.run("study", "collect", "-d", alone, path).out
    wm.check(wanted.count(b"\n") == 201, "no 200 points")
    start = time.time()
    submit = subprocess.Popen(
        [wm.WARPMEM, "study", "submit", "--slurm", "--wait", "--poll", "1",
         "--points-per-task", "10", "--array-limit", "4", "--time", "10",
         "--partition", "sim", "-o", table, path],
        env=slurm.env, stderr=subprocess.PIPE, text=True)
    try:
        disturb(slurm, results, submit)
        _, said = submit.communicate(timeout=330)
    finally:
        if submit.poll() is None:
            submit.kill()
    print(said.strip())
    wm.check(submit.returncode == 0, "exit %d\n%s" % (
        submit.returncode, slurm.say("squeue")))
    with open(table, "rb") as stream:
        wm.check(stream.read() == wanted, "another table than on one machine")
    starts, n = no_point_ran_twice(results)
    print("200 points in %.0f s: %d starts, %d ends noted, none after its end"
          % (time.time() - start, starts, n))


def main():
    missing = [p for p in NEEDED if shutil.which(p) is None and
               not os.path.exists("/usr/sbin/" + p)]
    if missing or os.geteuid() != 0:
        print("skipped: %s" % ("not root" if not missing else
                               "no " + ", ".join(missing)))
        sys.exit(wm.SKIP)
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    slurm = Slurm()
    folder = tempfile.mkdtemp(prefix="wm_slurm_study_")
    try:
        slurm.start()
        run(slurm, folder)
    except (AssertionError, subprocess.SubprocessError) as problem:
        print("FAILED  %s" % problem)
        for log in glob.glob(slurm.path("slurmctld.log")):
            print(open(log, errors="replace").read()[-3000:])
        print(slurm.say("squeue", "-r") + slurm.say("sinfo"))
        sys.exit(1)
    finally:
        slurm.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
