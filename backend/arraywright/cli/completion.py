"""`arraywright completion`."""

import click
from click.shell_completion import get_completion_class

from arraywright.cli.options import examples
from arraywright.cli.output import say


@click.command(
    epilog=examples(
        "arraywright completion bash | sudo tee /usr/share/bash-completion/completions/arraywright",
        "arraywright completion fish > ~/.config/fish/completions/arraywright.fish",
    )
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Prints the script by which a shell completes verbs and options."""
    maker = get_completion_class(shell)
    assert maker is not None
    made = maker(ctx.find_root().command, {}, "arraywright", "_ARRAYWRIGHT_COMPLETE")
    say(made.source_template % made.source_vars())
