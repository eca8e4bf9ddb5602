with session.get(f"{submission}/progress", stream=True) as events:
    events.raise_for_status()
    for line in events.iter_lines(decode_unicode=True):
        if line.startswith("data:"):
            print(line.removeprefix("data:").strip())
