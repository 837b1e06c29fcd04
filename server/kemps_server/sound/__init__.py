"""The sound of a table: opened beside its pictures, listened to, and kept round each call that was heard.

Reading order: ``notes`` (what a game's header says of it), ``opening`` (which sounds a table has),
``proposals`` (what of the heard becomes events), ``ears`` (a recording heard in step with its pictures, or
microphones in a thread), ``beside`` (the ears of ``kemps observe``), ``clips`` (the sound round a call, and
its wave as a drawing).
"""
