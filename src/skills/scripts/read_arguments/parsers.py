"""What argparse keeps when it is called, as data: parsers, groups, sub-commands and their arguments."""

from values import Instance, NotKnown, TooMuch, Unknown, items_of, shown

ARGUMENTS_MAX = 500
COMMANDS_MAX = 200

PARSER_CLASS = "argparse.ArgumentParser"
WHOLE_PARSING = ("parse_args", "parse_intermixed_args")
PARSING = WHOLE_PARSING + ("parse_known_args", "parse_known_intermixed_args")
ADDING = ("add_argument", "add_parser", "add_subparsers")
PARSER_WORDS = frozenset(
    ("ArgumentParser", "add_argument_group", "add_mutually_exclusive_group", "set_defaults") + ADDING + PARSING
)


class Findings:
    """Parsers in the order they were made and asked to parse, and by name what could not be told."""

    def __init__(self):
        self.made = []
        self.parsed = []
        self.parsed_partly = []
        self.unknown = []


class Call:
    """The evaluated arguments of one call; a `*x` or `**x` that is not known is an Unknown."""

    def __init__(self, positional=(), named=()):
        self.positional = list(positional)
        self.named = dict(named)

    def argument(self, index, name, default=None):
        if name in self.named:
            return self.named[name]
        return self.positional[index] if len(self.positional) > index else default

    def values(self):
        return self.positional + list(self.named.values())

    def unknown_names(self):
        """A `**x` that is not known, or None."""
        return next((name for name in self.named if isinstance(name, Unknown)), None)


class Argument:
    def __init__(self, flags, dest, dest_given, settings):
        self.flags = flags
        self.dest = dest
        self.dest_given = dest_given
        self.settings = settings
        self.unknown = []  # by name what of it could not be told


class Group:
    def __init__(self, parser, required=False):
        self.parser = parser
        self.required = required  # of a group that is exclusive
        self.members = []

    def call(self, name, call):
        result = self.parser.call(name, call)
        if isinstance(result, Argument):
            self.members.append(result)
        return result


class Commands:
    """What add_subparsers returns."""

    def __init__(self, findings):
        self.findings = findings
        self.parsers = []

    def call(self, name, call):
        if name != "add_parser":
            raise NotKnown
        word = call.argument(0, "name")
        if not isinstance(word, str):
            self.findings.unknown.append("command: " + shown(word))
            return Parser(self.findings)
        for parser in self.parsers:
            if parser.name == word:  # the other arm of a branch
                return parser
        if len(self.parsers) >= COMMANDS_MAX:
            raise TooMuch
        parser = Parser(self.findings)
        parser.configure(Call(named=call.named))
        parser.name = word
        parser.help = call.named.get("help")
        parser.aliases = [alias for alias in items_of(call.named.get("aliases")) or [] if isinstance(alias, str)]
        self.parsers.append(parser)
        return parser


class Parser(Instance):
    def __init__(self, findings, cls=None):
        group = Group(self)
        super().__init__(cls, {"_optionals": group, "_positionals": group, "_action_groups": [group, group]})
        self.findings = findings
        self.arguments = []
        self.exclusive = []
        self.commands = None
        self.defaults = {}
        self.documentation = None  # of the function that makes it
        self.name = self.aliases = self.help = None  # of a sub-command
        self.configure(Call())

    def configure(self, call):
        self.values["prog"] = call.argument(0, "prog")
        self.values["description"] = call.argument(2, "description")
        self.argument_default = call.named.get("argument_default")
        prefixes = call.named.get("prefix_chars")
        self.prefixes = tuple(prefixes) if isinstance(prefixes, str) else ("-",)
        self.resolves_conflicts = call.named.get("conflict_handler") == "resolve"
        if call.unknown_names():
            self.findings.unknown.append("parser: **" + call.unknown_names().text)
        parents = call.argument(4, "parents", [])
        for parent in [parents] if items_of(parents) is None else items_of(parents):
            if isinstance(parent, Parser):
                self.inherit(parent)
            else:
                self.findings.unknown.append("parents: " + shown(parent))

    def inherit(self, parent):
        for argument in parent.arguments:
            self.accept(argument)
        self.exclusive = (self.exclusive + parent.exclusive)[:ARGUMENTS_MAX]
        self.defaults.update(parent.defaults)

    def accept(self, argument):
        """Adds the argument. A flag that is already there is another arm of a branch, unless conflicts are resolved."""
        if self.resolves_conflicts:
            for earlier in self.arguments:
                earlier_flags = [flag for flag in earlier.flags if flag not in argument.flags]
                if earlier.flags and not earlier_flags:
                    self.arguments = [kept for kept in self.arguments if kept is not earlier]
                earlier.flags = earlier_flags
        if len(self.arguments) >= ARGUMENTS_MAX:
            raise TooMuch
        taken = {word for earlier in self.arguments for word in earlier.flags or [earlier.dest]}
        if taken.isdisjoint(argument.flags or [argument.dest]):
            self.arguments.append(argument)

    def taken(self):
        return len(self.arguments) + (len(self.commands.parsers) if self.commands else 0)

    def call(self, name, call):
        """Calls a method of argparse's."""
        if name == "add_argument":
            return self.add_argument(call)
        if name == "add_argument_group":
            return Group(self)
        if name == "add_mutually_exclusive_group":
            self.exclusive.append(Group(self, call.argument(0, "required") is True))
            return self.exclusive[-1]
        if name == "add_subparsers":
            self.commands = self.commands or Commands(self.findings)
            return self.commands
        if name == "set_defaults":
            self.set_defaults(call.named)
        if name in PARSING:
            found = self.findings
            (found.parsed if name in WHOLE_PARSING else found.parsed_partly).append(self)
        raise NotKnown

    def set_defaults(self, defaults):
        self.defaults.update(defaults)
        for argument in self.arguments:
            if argument.dest in defaults:
                argument.settings["default"] = defaults[argument.dest]

    def add_argument(self, call):
        flags = [word for word in call.positional if isinstance(word, str)]
        lost = [word for word in call.positional if not isinstance(word, str)]
        settings = dict(call.named)
        dest = settings.pop("dest", None)
        if lost:
            self.findings.unknown.append("flags: " + shown(lost[0]))
        elif not flags and not isinstance(dest, str):
            self.findings.unknown.append("dest: " + shown(dest or call.unknown_names()))
        if not flags and (lost or not isinstance(dest, str)) or settings.get("action") in ("help", "version"):
            raise NotKnown
        is_option = bool(flags) and flags[0].startswith(self.prefixes)
        name = dest if isinstance(dest, str) else self.name_of(flags) if is_option else flags[0]
        if "default" not in settings:
            settings["default"] = self.defaults.get(name, self.argument_default)
            settings["default_implied"] = True
        argument = Argument(flags if is_option else [], name, isinstance(dest, str), settings)
        if not isinstance(dest, (str, type(None))):
            argument.unknown.append("dest of " + name + ": " + shown(dest))
        if call.unknown_names():
            argument.unknown.append("settings of " + name + ": **" + call.unknown_names().text)
        self.accept(argument)
        return argument

    def name_of(self, flags):
        long_flags = [flag for flag in flags if flag[1:2] in self.prefixes]
        return (long_flags or flags)[0].lstrip("".join(self.prefixes)).replace("-", "_")


PARSER_VALUES = (Parser, Group, Commands)
