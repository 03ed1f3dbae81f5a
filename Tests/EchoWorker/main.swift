// One process of the tests. Nothing that a C library calls back may be defined here: globals of this file belong to the main actor.
start(CommandLine.arguments.dropFirst().first ?? "", CommandLine.arguments.dropFirst(2).first)
