"""Serves moto, with what its load balancers lack of AWS' own.

Usage: python emulator.py --host 127.0.0.1 --port PORT

Each difference matters to the cloud controller manager, which was written for AWS:

- A classic load balancer has a health check from the beginning. Without one the cloud controller manager ends.
- The host name of a network load balancer has the region behind "elb". By that it differs from a classic one.
- A load balancer for which no scheme was asked says that it is internet-facing.

And two that matter where host names are read: that of an internal classic load balancer begins with "internal-",
and a load balancer that is made anew under the same name has another one.
"""

import itertools
import sys

from moto.elb import models as classic
from moto.elbv2 import models as network
from moto.server import main

numbers = itertools.count(1_000_000_001)


# moto finds what it answers by the names of its models and of their modules, so these must have the same.


class LoadBalancer(classic.LoadBalancer):
    __module__ = classic.__name__

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        name, domain = self.dns_name.split(".", 1)
        prefix = "internal-" if self.scheme == "internal" else ""
        self.dns_name = f"{prefix}{name}-{next(numbers)}.{domain}"
        port = self.listeners[0].instance_port if self.listeners else 80
        self.health_check = classic.FakeHealthCheck(
            timeout="5", healthy_threshold="10", unhealthy_threshold="2", interval="30", target=f"TCP:{port}"
        )


class FakeLoadBalancer(network.FakeLoadBalancer):
    __module__ = network.__name__

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.scheme = self.scheme or "internet-facing"
        _, region, _ = self.dns_name.split(".", 2)
        self.dns_name = f"{self.name}-{next(numbers):016x}.elb.{region}.amazonaws.com"


classic.LoadBalancer = LoadBalancer
network.FakeLoadBalancer = FakeLoadBalancer

main(sys.argv[1:])
